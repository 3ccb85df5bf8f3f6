/* Recurrent nets and cells. */
RECIPE(
    "aten::lstm.input",
    "F[5,2,3] {F[1,2,4] F[1,2,4]} {F[16,3] F[16,4] F[16] F[16]} true 1 0.0 false false "
    "false")
RECIPE("aten::lstm.input",
       "F[2,5,3] {F[4,2,4] F[4,2,4]} {F[16,3] F[16,4] F[16,3] F[16,4] F[16,8] F[16,4] "
       "F[16,8] F[16,4]} false 2 0.0 false true true")
RECIPE("aten::gru.input", "F[5,2,3] F[2,2,4] {F[12,3] F[12,4] F[12] F[12] F[12,3] "
                          "F[12,4] F[12] F[12]} true 1 "
                          "0.0 false true false")
RECIPE("aten::gru.input",
       "F[0,2,3] F[1,2,4] {F[12,3] F[12,4] F[12] F[12]} true 1 0.0 false false false")
RECIPE("aten::rnn_tanh.input",
       "F[2,5,3] F[1,2,4] {F[4,3] F[4,4] F[4] F[4]} true 1 0.0 false false true")
RECIPE("aten::rnn_relu.input",
       "F[5,2,3] F[1,2,4] {F[4,3] F[4,4]} false 1 0.0 false false false")
RECIPE("aten::lstm_cell", "F[2,3] {F[2,4] F[2,4]} F[16,3] F[16,4] F[16] F[16]")
RECIPE("aten::lstm_cell", "F[2,3] {F[2,4] F[2,4]} F[16,3] F[16,4] none none")
RECIPE("aten::gru_cell", "F[2,3] F[2,4] F[12,3] F[12,4] F[12] F[12]")
RECIPE("aten::gru_cell", "F[0,3] F[0,4] F[12,3] F[12,4] F[12] F[12]")
RECIPE("aten::gru_cell", "F[2,3] F[2,4] F[12,3] F[12,5] F[12] F[12]")
RECIPE("aten::rnn_tanh_cell", "F[2,3] F[2,4] F[4,3] F[4,4] F[4] F[4]")
RECIPE("aten::rnn_relu_cell", "F[2,3] F[2,4] F[4,3] F[4,4] none none")
RECIPE(
    "aten::mkldnn_rnn_layer",
    "F[5,2,3] F[16,3] F[16,4] F[16] F[16] F[1,2,4] F[1,2,4] true () 2 4 1 true false "
    "false false")
