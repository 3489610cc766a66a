"""What kind of work a kernel does, told from its name.

The names are those that PyTorch's own kernels, cuBLAS, cuDNN, CUTLASS, FlashAttention, Triton (as the
compiler names them), NCCL and RCCL have in traces of 2021 to 2026. A name says what a kernel is for, not what
limits it.
"""

from __future__ import annotations

import re

COMMUNICATION = "communication"
OTHER = "other"

_WORDS = {
    COMMUNICATION: r"nccl|rccl|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|sendrecv|nvshmem",
    "attention": r"flash|fmha|attention|attn|paged_|mla_",
    "normalisation": r"norm(?!al)|welford|bn_(?:fw|bw)",
    "softmax": r"softmax",
    "sampling": r"topk|top_k|top_p|argmax|sort|sampl|multinomial|cumsum|scan_",
    "matmul": r"gemm|gemv|matmul|cutlass|cublas|nvjet|xmma|mma_|wgmma|split_?k|dot_kernel|cijk_|cudnn|"
    r"winograd|conv(?!ert)|implicit_|_mm_|_bmm|_addmm",
    "indexing": r"index|gather|scatter|embedding|cat_|catarray|triu|tril|masked_fill|nonzero|rotary",
    "reduction": r"reduce|_red_|_per_fused|mean_|sum_kernel",
    "elementwise": r"elementwise|_poi_|pointwise|silu|gelu|relu|activation|fill|copy_|cast|dropout|"
    r"multi_tensor_apply|adam|act_and_mul",
}
"""Parts of names, in lower case. The first family that fits counts: a reduction within a matrix product is
part of the product."""
_FAMILIES = tuple((family, re.compile(words)) for family, words in _WORDS.items())


def family_of(kind: str, name: str) -> str:
    """The family of work of that kind and name; `OTHER` where the name says nothing."""
    if kind != "kernel":
        return kind
    read = name[:400].lower()
    return next((family for family, words in _FAMILIES if words.search(read)), OTHER)
