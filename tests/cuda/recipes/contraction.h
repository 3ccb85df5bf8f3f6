/* Convolutions of every form. */
RECIPE("aten::conv1d", "F[2,4,0] P[6,4,1] none (1) (0) (1) 1")
RECIPE("aten::conv3d", "F[2,3,4,5,6] P[4,3,3,2,1] F[4] (2,1,1) (1,0,0) (1,2,1) 1")
RECIPE("aten::conv3d", "F[4,3,4,5] P[6,2,2,2,2] none (1) (0) (1) 2")
RECIPE("aten::conv1d.padding", "F[2,3,9] P[4,3,4] F[4] (1) 'same' (2) 1")
RECIPE("aten::conv1d.padding", "F[2,3,9] P[4,3,4] F[4] (2) 'valid' (1) 1")
RECIPE("aten::conv2d.padding", "F[2,4,6,5] P[4,1,3,2] none (1) 'same' (1) 4")
RECIPE("aten::conv3d.padding", "F[1,2,4,3,5] P[3,2,3,2,2] none (1) 'same' (1) 1")
RECIPE("aten::conv_transpose1d", "F[2,4,5] P[4,3,3] F[3] (2) (1) (1) 1 (1)")
RECIPE("aten::conv_transpose1d", "F[4,5] P[4,3,3] none (1) (0) (0) 2 (2)")
RECIPE("aten::conv_transpose2d.input",
       "F[2,4,5,3] P[4,3,3,2] F[3] (2,1) (1,0) (1,0) 1 (1,2)")
RECIPE("aten::conv_transpose2d.input", "F[2,4,5,3] P[4,1,2,2] F[4] (2) (0) (0) 4 (1)")
RECIPE("aten::conv_transpose2d.input", "F[0,4,5,3] P[4,1,2,2] none (2) (0) (0) 1 (1)")
RECIPE("aten::conv_transpose2d.input", "F[1,4,1,1] P[4,1,2,2] none (1) (3) (0) 1 (1)")
RECIPE("aten::conv_transpose3d.input",
       "F[1,2,3,4,2] P[2,3,2,2,3] F[3] (2) (1) (1) 1 (1)")
RECIPE("aten::convolution", "F[2,4,5,3] P[4,3,3,2] F[3] (2,1) (1,0) (1,2) true (1,0) 1")
RECIPE("aten::_scaled_dot_product_attention_math",
       "F[2,3,5,4] F[2,3,7,4] F[2,3,7,6] none 0.0 false none none false")
RECIPE("aten::_scaled_dot_product_attention_math",
       "F[2,3,5,4] F[2,3,7,4] F[2,3,7,4] B[5,7] 0.0 false none 0.5 false")
RECIPE("aten::_scaled_dot_product_attention_math",
       "F[2,4,5,4] F[2,2,7,4] F[2,2,7,4] none 0.0 true none none true")
RECIPE("aten::_scaled_dot_product_flash_attention_for_cpu",
       "F[2,3,5,4] F[2,3,5,4] F[2,3,5,4] 0.0 true none none")
RECIPE("aten::_scaled_dot_product_flash_attention_for_cpu",
       "F[2,3,5,4] F[2,3,300,4] F[2,3,300,4] 0.0 false F[5,300] 0.5")
RECIPE("aten::_scaled_dot_product_flash_attention_for_cpu",
       "F[2,3,0,4] F[2,3,5,4] F[2,3,5,4] 0.0 false none none")
RECIPE("aten::_scaled_dot_product_flash_attention_for_cpu",
       "F[2,3,5,4] F[2,3,0,4] F[2,3,0,4] 0.0 false none none")
