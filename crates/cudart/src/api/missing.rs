//! Functions that are in NVIDIA's libraries and not here: each says its name, once, and returns
//! `cudaErrorNotSupported`. External memory, graphics, mipmaps and libraries are most of them.

use crate::guard::missing;

macro_rules! missing_functions {
    ($($name:ident),* $(,)?) => {
        $(
            /// Not supported.
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() -> i32 {
                missing(stringify!($name))
            }
        )*

        /// The functions that only say that they are missing.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

missing_functions! {
    __cudaGetProcAddress, __cudaRegisterUnifiedTable, cudaArrayGetMemoryRequirements,
    cudaArrayGetPlane, cudaArrayGetSparseProperties, cudaBindTextureToMipmappedArray,
    cudaDestroyExternalMemory, cudaDestroyExternalSemaphore, cudaDevResourceGenerateDesc,
    cudaDevSmResourceSplit, cudaDevSmResourceSplitByCount, cudaDeviceFlushGPUDirectRDMAWrites,
    cudaDeviceGetDevResource, cudaDeviceGetExecutionCtx, cudaDeviceGetHostAtomicCapabilities,
    cudaDeviceGetNvSciSyncAttributes, cudaDeviceGetP2PAtomicCapabilities,
    cudaDeviceRegisterAsyncNotification, cudaDeviceUnregisterAsyncNotification,
    cudaEGLStreamConsumerAcquireFrame, cudaEGLStreamConsumerConnect,
    cudaEGLStreamConsumerConnectWithFlags, cudaEGLStreamConsumerDisconnect,
    cudaEGLStreamConsumerReleaseFrame, cudaEGLStreamProducerConnect,
    cudaEGLStreamProducerDisconnect, cudaEGLStreamProducerPresentFrame,
    cudaEGLStreamProducerReturnFrame, cudaEventCreateFromEGLSync, cudaExecutionCtxDestroy,
    cudaExecutionCtxGetDevResource, cudaExecutionCtxGetDevice, cudaExecutionCtxGetId,
    cudaExecutionCtxRecordEvent, cudaExecutionCtxStreamCreate, cudaExecutionCtxSynchronize,
    cudaExecutionCtxWaitEvent, cudaExternalMemoryGetMappedBuffer,
    cudaExternalMemoryGetMappedMipmappedArray, cudaFreeMipmappedArray, cudaFuncGetParamCount,
    cudaFuncGetParamInfo, cudaGLGetDevices, cudaGLMapBufferObject, cudaGLMapBufferObjectAsync,
    cudaGLRegisterBufferObject, cudaGLSetBufferObjectMapFlags, cudaGLSetGLDevice,
    cudaGLUnmapBufferObject, cudaGLUnmapBufferObjectAsync, cudaGLUnregisterBufferObject,
    cudaGetExportTable, cudaGetMipmappedArrayLevel, cudaGetTextureObjectResourceViewDesc,
    cudaGraphAddExternalSemaphoresSignalNode, cudaGraphAddExternalSemaphoresWaitNode,
    cudaGraphConditionalHandleCreate, cudaGraphConditionalHandleCreate_v2,
    cudaGraphEventRecordNodeSetEvent, cudaGraphEventWaitNodeGetEvent,
    cudaGraphEventWaitNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
    cudaGraphExecEventWaitNodeSetEvent, cudaGraphExecExternalSemaphoresSignalNodeSetParams,
    cudaGraphExecExternalSemaphoresWaitNodeSetParams, cudaGraphExecGetId,
    cudaGraphExternalSemaphoresSignalNodeGetParams, cudaGraphExternalSemaphoresSignalNodeSetParams,
    cudaGraphExternalSemaphoresWaitNodeGetParams, cudaGraphExternalSemaphoresWaitNodeSetParams,
    cudaGraphGetEdges_v2, cudaGraphGetId, cudaGraphMemAllocNodeGetParams,
    cudaGraphMemFreeNodeGetParams, cudaGraphNodeGetContainingGraph, cudaGraphNodeGetDependencies_v2,
    cudaGraphNodeGetDependentNodes_v2, cudaGraphNodeGetLocalId, cudaGraphNodeGetParams,
    cudaGraphNodeGetToolsId, cudaGraphReleaseUserObject, cudaGraphRetainUserObject,
    cudaGraphicsEGLRegisterImage, cudaGraphicsGLRegisterBuffer, cudaGraphicsGLRegisterImage,
    cudaGraphicsMapResources, cudaGraphicsResourceGetMappedEglFrame,
    cudaGraphicsResourceGetMappedMipmappedArray, cudaGraphicsResourceGetMappedPointer,
    cudaGraphicsResourceSetMapFlags, cudaGraphicsSubResourceGetMappedArray,
    cudaGraphicsUnmapResources, cudaGraphicsUnregisterResource,
    cudaGraphicsVDPAURegisterOutputSurface, cudaGraphicsVDPAURegisterVideoSurface,
    cudaGreenCtxCreate, cudaImportExternalMemory, cudaImportExternalSemaphore,
    cudaIpcCloseMemHandle, cudaIpcGetEventHandle, cudaIpcGetMemHandle, cudaIpcOpenEventHandle,
    cudaIpcOpenMemHandle, cudaKernelSetAttributeForDevice, cudaLaunchCooperativeKernelMultiDevice,
    cudaLaunchHostFunc_v2, cudaLaunchHostFunc_v2_ptsz, cudaLibraryEnumerateKernels,
    cudaLibraryGetKernelCount, cudaLibraryGetManaged, cudaLibraryGetUnifiedFunction,
    cudaLogsCurrent, cudaLogsDumpToFile, cudaLogsDumpToMemory, cudaLogsRegisterCallback,
    cudaLogsUnregisterCallback, cudaMallocMipmappedArray, cudaMemDiscardAndPrefetchBatchAsync,
    cudaMemDiscardAndPrefetchBatchAsync_ptsz, cudaMemDiscardBatchAsync,
    cudaMemDiscardBatchAsync_ptsz, cudaMemGetDefaultMemPool, cudaMemGetLocationInfo,
    cudaMemGetMemPool, cudaMemPoolExportPointer, cudaMemPoolExportToShareableHandle,
    cudaMemPoolImportFromShareableHandle, cudaMemPoolImportPointer, cudaMemPrefetchAsync_v2_ptsz,
    cudaMemPrefetchBatchAsync, cudaMemPrefetchBatchAsync_ptsz, cudaMemRangeGetAttributes,
    cudaMemSetMemPool, cudaMemcpy3DBatchAsync, cudaMemcpy3DBatchAsync_ptsz, cudaMemcpy3DPeer,
    cudaMemcpy3DPeerAsync, cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeer_ptds,
    cudaMemcpy3DWithAttributesAsync, cudaMemcpy3DWithAttributesAsync_ptsz, cudaMemcpyArrayToArray,
    cudaMemcpyArrayToArray_ptds, cudaMemcpyBatchAsync, cudaMemcpyBatchAsync_ptsz,
    cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArray_ptds, cudaMemcpyToArrayAsync_ptsz,
    cudaMemcpyToArray_ptds, cudaMemcpyWithAttributesAsync, cudaMemcpyWithAttributesAsync_ptsz,
    cudaMipmappedArrayGetMemoryRequirements, cudaMipmappedArrayGetSparseProperties,
    cudaOccupancyMaxActiveClusters, cudaOccupancyMaxPotentialClusterSize, cudaProfilerInitialize,
    cudaSetDoubleForDevice, cudaSetDoubleForHost, cudaSignalExternalSemaphoresAsync,
    cudaSignalExternalSemaphoresAsync_ptsz, cudaSignalExternalSemaphoresAsync_v2,
    cudaSignalExternalSemaphoresAsync_v2_ptsz, cudaStreamBeginCaptureToGraph,
    cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginRecaptureToGraph,
    cudaStreamBeginRecaptureToGraph_ptsz, cudaStreamGetDevResource, cudaStreamGetDevResource_ptsz,
    cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_ptsz,
    cudaStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies_v2_ptsz,
    cudaSubgridCreate, cudaSubgridWorkerGridCreate, cudaSubgridWorksetCreate, cudaUserObjectCreate,
    cudaUserObjectRelease, cudaUserObjectRetain, cudaVDPAUGetDevice, cudaVDPAUSetVDPAUDevice,
    cudaWaitExternalSemaphoresAsync, cudaWaitExternalSemaphoresAsync_ptsz,
    cudaWaitExternalSemaphoresAsync_v2, cudaWaitExternalSemaphoresAsync_v2_ptsz,
}
