/* To and from integers on a grid. */
RECIPE("quantized_decomposed::quantize_per_tensor", "P[3,5,7] 0.1 3 -128 127 :i8")
RECIPE("quantized_decomposed::quantize_per_tensor", "P[2,16] 0.02 128 0 255 :u8")
RECIPE("quantized_decomposed::quantize_per_tensor", "S[4,9] 0.001 -5 -32768 32767 :i16")
RECIPE("quantized_decomposed::quantize_per_tensor", "P[] 1e-9 0 -8 7 :i32")
RECIPE("quantized_decomposed::quantize_per_tensor", "P[0,3] 0.1 0 -8 7 :i8")
RECIPE("quantized_decomposed::quantize_per_tensor.tensor",
       "P[3,5] P[] J[]<9 -128 127 :i8")
RECIPE("quantized_decomposed::quantize_per_tensor.tensor2",
       "P[3,5] P[1] J[1]<9 I[]<9 J[]<100 :i8")
RECIPE("quantized_decomposed::dequantize_per_tensor",
       "Z[3,5,7] 0.1 3 -128 127 :i8 none")
RECIPE("quantized_decomposed::dequantize_per_tensor", "Z[2,16] 0.02 128 0 255 :u8 :f16")
RECIPE("quantized_decomposed::dequantize_per_tensor", "Z[2,16] 0.02 1 0 255 :u8 :bf16")
RECIPE("quantized_decomposed::dequantize_per_tensor", "Z[] 0.3 1 0 255 :u8 :f64")
RECIPE("quantized_decomposed::dequantize_per_tensor.tensor",
       "Z[3,5] S[1] J[]<9 -128 127 :i8 none")
RECIPE("quantized_decomposed::dequantize_per_tensor.tensor2",
       "Z[3,5] S[] J[1]<9 I[]<9 J[]<100 :i8 none")
RECIPE("quantized_decomposed::quantize_per_channel",
       "S[3,5,7] P[5] J[5]<9 1 -128 127 :i8")
RECIPE("quantized_decomposed::quantize_per_channel",
       "P[4,16] P[16] J[16]<9 -1 0 255 :u8")
RECIPE("quantized_decomposed::quantize_per_channel", "P[0,4] P[4] J[4]<9 1 0 255 :u8")
RECIPE("quantized_decomposed::quantize_per_channel", "P[4,5] P[4] J[4]<9 1 0 255 :u8")
RECIPE("quantized_decomposed::dequantize_per_channel",
       "Z[3,5,7] S[5] J[5]<9 1 -128 127 :i8 none")
RECIPE("quantized_decomposed::dequantize_per_channel",
       "Z[4,16] S[4] none 0 -128 127 :i8 :f16")
RECIPE("quantized_decomposed::dequantize_per_channel",
       "J[4,16]<200 P[4] J[4]<9 0 -128 127 :i8 :f64")
RECIPE("quantized_decomposed::quantize_per_token",
       "P[2,3,8] P[2,3,1] J[2,3,1]<9 -128 127 :i8")
RECIPE("quantized_decomposed::quantize_per_token", "P[3,8] P[3,1] P[3,1] -128 127 :i8")
RECIPE("quantized_decomposed::dequantize_per_token",
       "Z[2,3,8] S[2,3,1] J[2,3,1]<9 -128 127 :i8 :f32")
RECIPE("quantized_decomposed::quantize_per_channel_group",
       "P[3,8] P[3,2] J[3,2]<9 -8 7 :i8 4")
RECIPE("quantized_decomposed::quantize_per_channel_group",
       "P[3,8] P[3,1] J[3,1]<9 -8 7 :i8 128")
RECIPE("quantized_decomposed::quantize_per_channel_group",
       "P[3,8] P[3,2] J[3,2]<9 -8 7 :i8 5")
RECIPE("quantized_decomposed::dequantize_per_channel_group",
       "Z[3,8] S[3,2] J[3,2]<9 -8 7 :i8 4 :f32")
RECIPE("quantized_decomposed::dequantize_per_channel_group",
       "Z[3,8] P[3,2] J[3,2]<9 -8 7 :i8 4 :bf16")
