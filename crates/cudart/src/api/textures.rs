//! Texture objects, and the texture references of programs built for 11.x.

use std::ffi::{c_int, c_uint};

use shrinkwarp_emu::memory::{Addressing, Filter, Texture};

use super::arrays::find;
use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::{In, Out};
use crate::runtime::{ChannelDescriptor, DescribedObject, Resource, Runtime, TextureDescriptor};

/// `textureReference`, the fields in front.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TextureReference {
    normalised: c_int,
    filter: c_int,
    addressing: [c_int; 3],
    descriptor: ChannelDescriptor,
}

api! {
    "A texture object."
    fn [cudaCreateTextureObject, cudaCreateTextureObject_v2](
        runtime, object: Out<u64>, resource: In<Resource>, texture: In<TextureDescriptor>,
    ) {
        let (resource, descriptor) = (resource.get()?, texture.get()?);
        let texels = texels(runtime, &resource)?;
        let texture = Texture {
            filter: filter(descriptor.filter),
            addressing: addressing(descriptor.addressing[0]),
            has_normalised_coordinates: descriptor.normalised != 0,
            reads_normalised: descriptor.read_mode == 1,
            ..texels
        };
        let context = runtime.context()?;
        let handle = context.machine.device().create_texture(texture)?;
        context.objects.insert(handle, DescribedObject { resource, texture: Some(descriptor) });
        object.set(handle)
    }

    "What a texture object lies over."
    fn [cudaGetTextureObjectResourceDesc](runtime, resource: Out<Resource>, object: u64) {
        resource.set(described(runtime, object)?.resource)
    }

    "How a texture object is read."
    fn [cudaGetTextureObjectTextureDesc, cudaGetTextureObjectTextureDesc_v2](
        runtime, texture: Out<TextureDescriptor>, object: u64,
    ) {
        texture.set(described(runtime, object)?.texture.ok_or(CudaError::InvalidValue)?)
    }

    "Destroys a texture object."
    fn [cudaDestroyTextureObject](runtime, object: u64) {
        destroy(runtime, object)
    }

    "Binds a texture reference to a line of memory."
    fn [cudaBindTexture](
        runtime, offset: Out<usize>, reference: In<TextureReference>, address: u64,
        descriptor: In<ChannelDescriptor>, bytes: usize,
    ) {
        let format = descriptor.get()?.format()?;
        let texels = (bytes as u64).min(room_behind(runtime, address)?) / u64::from(format.bytes());
        bind(runtime, reference, Texture::line(address, texels.min(1 << 30) as u32, format))?;
        offset.set_if_wanted(0);
        Ok(())
    }

    "Binds a texture reference to a plane of memory."
    fn [cudaBindTexture2D](
        runtime, offset: Out<usize>, reference: In<TextureReference>, address: u64,
        descriptor: In<ChannelDescriptor>, width: usize, height: usize, pitch: usize,
    ) {
        let plane = Texture::plane(address, width as u32, height as u32, descriptor.get()?.format()?);
        bind(runtime, reference, Texture { pitch_bytes: pitch as u64, ..plane })?;
        offset.set_if_wanted(0);
        Ok(())
    }

    "Binds a texture reference to an array."
    fn [cudaBindTextureToArray](runtime, reference: In<TextureReference>, array: u64, _descriptor: In<ChannelDescriptor>) {
        let texels = array_texels(runtime, array)?;
        bind(runtime, reference, texels)
    }

    "Unbinds a texture reference."
    fn [cudaUnbindTexture](runtime, reference: In<TextureReference>) {
        let (handle, _) = reference_handle(runtime, reference)?;
        runtime.context()?.machine.memory_mut().unbind_texture(handle);
        Ok(())
    }

    "The offset between a bound texture and its address: 0."
    fn [cudaGetTextureAlignmentOffset](runtime, offset: Out<usize>, reference: In<TextureReference>) {
        let (handle, _) = reference_handle(runtime, reference)?;
        let memory = runtime.context()?.machine.memory();
        memory.texture(handle).ok_or(CudaError::InvalidTextureBinding)?;
        offset.set(0)
    }

    "The reference that a symbol names: itself."
    fn [cudaGetTextureReference](runtime, reference: Out<u64>, symbol: u64) {
        runtime.registry.texture(symbol).ok_or(CudaError::InvalidTexture)?;
        reference.set(symbol)
    }

    "Texels that a texture over memory can have."
    fn [cudaDeviceGetTexture1DLinearMaxWidth](
        _runtime, texels: Out<usize>, descriptor: In<ChannelDescriptor>, _device: c_uint,
    ) {
        descriptor.get()?.format()?;
        texels.set(1 << 27)
    }
}

/// An object as the program described it.
pub(super) fn described(runtime: &mut Runtime, object: u64) -> Result<DescribedObject, Failure> {
    runtime.context()?.objects.get(&object).copied().ok_or_else(|| CudaError::InvalidValue.into())
}

/// Ends a texture or surface object.
pub(super) fn destroy(runtime: &mut Runtime, object: u64) -> Result<(), Failure> {
    let context = runtime.context()?;
    context.objects.remove(&object);
    if context.machine.memory_mut().unbind_texture(object) {
        Ok(())
    } else {
        Err(CudaError::InvalidValue.into())
    }
}

/// The texels of a resource, read in the plainest way.
fn texels(runtime: &mut Runtime, resource: &Resource) -> Result<Texture, Failure> {
    let [first, height, pitch] = resource.extents;
    match resource.kind {
        0 => array_texels(runtime, resource.address),
        2 => {
            let format = resource.descriptor.format()?;
            Ok(Texture::line(resource.address, (first / u64::from(format.bytes())) as u32, format))
        }
        3 => {
            let format = resource.descriptor.format()?;
            let plane = Texture::plane(resource.address, first as u32, height as u32, format);
            Ok(Texture { pitch_bytes: pitch, ..plane })
        }
        _ => Err(Failure::new(CudaError::NotSupported, "textures over mipmapped arrays are not supported")),
    }
}

pub(super) fn array_texels(runtime: &mut Runtime, handle: u64) -> Result<Texture, Failure> {
    let array = find(runtime, handle)?;
    let format = array.descriptor.format()?;
    let plane = Texture::plane(array.address, array.width as u32, array.height as u32, format);
    Ok(Texture { depth: array.depth as u32, ..plane })
}

/// Bytes of the allocation from an address on: programs bind without saying how much.
fn room_behind(runtime: &mut Runtime, address: u64) -> Result<u64, Failure> {
    let memory = runtime.context()?.machine.memory();
    let (allocation, _) = memory.find(address, 1).ok_or(CudaError::InvalidDevicePointer)?;
    Ok(allocation.end() - address)
}

/// The array that a resource is.
pub(super) fn array_of(runtime: &mut Runtime, resource: &Resource) -> Result<Texture, Failure> {
    if resource.kind == 0 {
        return array_texels(runtime, resource.address);
    }
    Err(Failure::new(CudaError::InvalidValue, "a surface lies over an array"))
}

/// The device's handle of a texture reference, and whether it reads fractions.
fn reference_handle(runtime: &mut Runtime, reference: In<TextureReference>) -> Result<(u64, bool), Failure> {
    reference_handle_of(runtime, reference.address())
}

/// The same by the address of the reference.
pub(super) fn reference_handle_of(runtime: &mut Runtime, reference: u64) -> Result<(u64, bool), Failure> {
    let (context, registry) = runtime.with_registry()?;
    let texture = registry.texture(reference).ok_or(CudaError::InvalidTexture)?;
    Ok((context.modules.variable(&texture.symbol)?.address, texture.reads_normalised))
}

fn bind(runtime: &mut Runtime, reference: In<TextureReference>, texels: Texture) -> Result<(), Failure> {
    let (handle, reads_normalised) = reference_handle(runtime, reference)?;
    let settings = reference.get()?;
    let texture = Texture {
        filter: filter(settings.filter),
        addressing: addressing(settings.addressing[0]),
        has_normalised_coordinates: settings.normalised != 0,
        reads_normalised,
        ..texels
    };
    Ok(runtime.context()?.machine.device().bind_texture(handle, texture)?)
}

fn filter(number: c_int) -> Filter {
    if number == 1 { Filter::Linear } else { Filter::Point }
}

fn addressing(number: c_int) -> Addressing {
    match number {
        0 => Addressing::Wrap,
        2 => Addressing::Mirror,
        3 => Addressing::Border,
        _ => Addressing::Clamp,
    }
}
