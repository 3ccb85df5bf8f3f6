/* quantized_decomposed: to and from integers. */
KERNEL("quantized_decomposed::quantize_per_tensor", quantize_per_tensor,
       quantize_per_tensor, QUANTIZE, ANY, "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::quantize_per_tensor.tensor", quantize_per_tensor,
       quantize_per_tensor, QUANTIZE, ANY, "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::quantize_per_tensor.tensor2", quantize_per_tensor,
       quantize_per_tensor, QUANTIZE, ANY, "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::dequantize_per_tensor", dequantize_per_tensor,
       dequantize_per_tensor, ROUNDED, ANY, "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::dequantize_per_tensor.tensor", dequantize_per_tensor,
       dequantize_per_tensor, ROUNDED, ANY, "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::dequantize_per_tensor.tensor2", dequantize_per_tensor,
       dequantize_per_tensor, ROUNDED, ANY, "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::quantize_per_channel", quantize_per_channel,
       quantize_per_channel, QUANTIZE, ANY, "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::dequantize_per_channel", dequantize_per_channel,
       dequantize_per_channel, ROUNDED, ANY, "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::quantize_per_token", quantize_per_token,
       quantize_per_token, QUANTIZE, ANY, "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::dequantize_per_token", dequantize_per_token,
       dequantize_per_token, ROUNDED, ANY, "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::quantize_per_channel_group", quantize_per_group,
       quantize_per_group, QUANTIZE, ANY, "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::dequantize_per_channel_group", dequantize_per_group,
       dequantize_per_group, ROUNDED, ANY, "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::choose_qparams.tensor", choose_qparams, none, QUANTIZE,
       FLOAT, "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::choose_qparams_symmetric.tensor",
       choose_qparams_symmetric, none, QUANTIZE, FLOAT,
       "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::choose_qparams_per_token", choose_qparams_per_token, none,
       FUNCTION, FLOAT, "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::choose_qparams_per_token_asymmetric", choose_qparams_rows,
       none, QUANTIZE, FLOAT, "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::_choose_qparams_per_token_asymmetric_impl",
       choose_qparams_rows, none, QUANTIZE, FLOAT,
       "torch.ao.quantization.fx._decomposed")
KERNEL("quantized_decomposed::fake_quant_per_channel", fake_quantize_channels, none,
       QUANTIZE, FLOAT, "torch.ao.quantization.fx._decomposed")
KERNEL("aten::fake_quantize_per_tensor_affine", fake_quantize, none, QUANTIZE, FLOAT,
       "ATen/native/quantized/FakeQuantPerTensorAffine.cpp")
KERNEL("aten::fake_quantize_per_tensor_affine.tensor_qparams", fake_quantize, none,
       QUANTIZE, FLOAT, "ATen/native/quantized/FakeQuantPerTensorAffine.cpp")
KERNEL("aten::fake_quantize_per_channel_affine", fake_quantize_channels, none, QUANTIZE,
       FLOAT, "ATen/native/quantized/FakeQuantPerChannelAffine.cpp")

KERNEL("torchao::choose_qparams_affine", choose_qparams_affine, none, QUANTIZE, FLOAT,
       "torchao/quantization/quant_primitives.py")
KERNEL("torchao::quantize_affine", quantize_affine, none, QUANTIZE, ANY,
       "torchao/quantization/quant_primitives.py")
KERNEL("torchao::dequantize_affine", dequantize_affine, none, ROUNDED, ANY,
       "torchao/quantization/quant_primitives.py")

/* Tables of quantized rows. */
KERNEL("quantized_decomposed::embedding_byte", embedding_byte, none, ROUNDED, ANY,
       "executorch/exir/passes/_quant_patterns_and_replacements.py")
KERNEL("quantized_decomposed::embedding_byte.dtype", embedding_byte, none, ROUNDED, ANY,
       "executorch/exir/passes/_quant_patterns_and_replacements.py")
KERNEL("quantized_decomposed::embedding_4bit", embedding_4bit, none, ROUNDED, ANY,
       "executorch/exir/passes/_quant_patterns_and_replacements.py")
KERNEL("quantized_decomposed::embedding_4bit.dtype", embedding_4bit, none, ROUNDED, ANY,
       "executorch/exir/passes/_quant_patterns_and_replacements.py")
KERNEL("quantized_decomposed::embedding_2bit", embedding_2bit, none, ROUNDED, ANY,
       "executorch/exir/passes/_quant_patterns_and_replacements.py")
KERNEL("quantized_decomposed::embedding_2bit.dtype", embedding_2bit, none, ROUNDED, ANY,
       "executorch/exir/passes/_quant_patterns_and_replacements.py")
