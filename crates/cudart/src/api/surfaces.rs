//! Surface objects and references: arrays that kernels write.

use super::textures::{array_of, described, destroy, reference_handle_of};
use crate::error::CudaError;
use crate::foreign::{In, Out};
use crate::runtime::{ChannelDescriptor, DescribedObject, Resource};

api! {
    "A surface object over an array."
    fn [cudaCreateSurfaceObject](runtime, object: Out<u64>, resource: In<Resource>) {
        let resource = resource.get()?;
        let texels = array_of(runtime, &resource)?;
        let context = runtime.context()?;
        let handle = context.machine.device().create_texture(texels)?;
        context.objects.insert(handle, DescribedObject { resource, texture: None });
        object.set(handle)
    }

    "What a surface object lies over."
    fn [cudaGetSurfaceObjectResourceDesc](runtime, resource: Out<Resource>, object: u64) {
        resource.set(described(runtime, object)?.resource)
    }

    "Ends a surface object."
    fn [cudaDestroySurfaceObject](runtime, object: u64) {
        destroy(runtime, object)
    }

    "Binds a surface reference to an array."
    fn [cudaBindSurfaceToArray](runtime, reference: u64, array: u64, _descriptor: In<ChannelDescriptor>) {
        let handle = reference_handle_of(runtime, reference)?.0;
        let texels = super::textures::array_texels(runtime, array)?;
        Ok(runtime.context()?.machine.device().bind_texture(handle, texels)?)
    }

    "The reference that a symbol names: itself."
    fn [cudaGetSurfaceReference](runtime, reference: Out<u64>, symbol: u64) {
        runtime.registry.texture(symbol).ok_or(CudaError::InvalidTexture)?;
        reference.set(symbol)
    }
}
