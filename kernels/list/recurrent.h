/* LSTM, GRU, RNN. */
KERNEL("aten::lstm.input", lstm, lstm, SCAN, FLOAT, "torch.nn.LSTM")
KERNEL("aten::gru.input", gru, gru, SCAN, FLOAT, "torch.nn.GRU")
KERNEL("aten::rnn_tanh.input", rnn_tanh, rnn_tanh, SCAN, FLOAT, "torch.nn.RNN")
KERNEL("aten::rnn_relu.input", rnn_relu, rnn_relu, SCAN, FLOAT, "torch.nn.RNN")
KERNEL("aten::lstm_cell", lstm_cell, lstm_cell, SCAN, FLOAT, "torch.nn.LSTMCell")
KERNEL("aten::gru_cell", gru_cell, gru_cell, SCAN, FLOAT, "torch.nn.GRUCell")
KERNEL("aten::rnn_tanh_cell", rnn_tanh_cell, rnn_tanh_cell, SCAN, FLOAT,
       "torch.nn.RNNCell")
KERNEL("aten::rnn_relu_cell", rnn_relu_cell, rnn_relu_cell, SCAN, FLOAT,
       "torch.nn.RNNCell")
KERNEL("aten::mkldnn_rnn_layer", mkldnn_rnn_layer, mkldnn_rnn_layer, SCAN, FLOAT,
       "torch.nn.LSTM")
