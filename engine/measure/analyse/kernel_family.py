"""What kind of work a kernel does, told from its name.

The names are those that PyTorch's own kernels, cuBLAS, cuDNN, CUTLASS, FlashAttention, Triton (as the
compiler names them), NCCL and RCCL have in traces of 2021 to 2026. A name says what a kernel is for, not what
limits it.
"""

from __future__ import annotations

COMMUNICATION = "communication"
OTHER = "other"

_WORDS = {
    COMMUNICATION: "nccl rccl allreduce all_reduce allgather all_gather reducescatter reduce_scatter "
    "alltoall all_to_all sendrecv nvshmem",
    "attention": "flash fmha attention attn paged_ mla_",
    "normalisation": "layer_norm layernorm rms_norm rmsnorm batch_norm batchnorm group_norm groupnorm l2norm "
    "instance_norm norm_kernel vector_norm welford bn_fw bn_bw gammabeta",
    "softmax": "softmax",
    "sampling": "topk top_k top_p argmax sort sampl multinomial cumsum scan_",
    "matmul": "gemm gemv matmul cutlass cublas nvjet xmma mma_ splitk split_k dot_kernel cijk_ cudnn "
    "winograd conv1d conv2d conv3d conv_ convolve convolution fprop dgrad wgrad implicit_ _mm_ _bmm _addmm",
    "indexing": "index gather scatter embedding cat_ catarray triu tril masked_fill nonzero rotary",
    "reduction": "reduce _red_ _per_fused mean_ sum_kernel",
    "elementwise": "elementwise _poi_ pointwise silu gelu relu activation fill copy_ cast dropout "
    "multi_tensor_apply adam act_and_mul",
}
"""Parts of names, in lower case. The first family that fits counts: a reduction within a matrix product is
part of the product."""
_FAMILIES = tuple((family, tuple(words.split())) for family, words in _WORDS.items())


def family_of(kind: str, name: str) -> str:
    """The family of work of that kind and name; `OTHER` where the name says nothing."""
    if kind != "kernel":
        return kind
    read = name[:400].lower()
    return next((family for family, words in _FAMILIES if any(word in read for word in words)), OTHER)
