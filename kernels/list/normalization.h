/* softmax, the norms, and losses. */
KERNEL("aten::_softmax", softmax_half, softmax_half, REDUCTION, FLOAT,
       "torch._refs.softmax")
KERNEL("aten::softmax.int", softmax, softmax, REDUCTION, FLOAT, "torch._refs.softmax")
KERNEL("aten::_log_softmax", log_softmax_half, log_softmax_half, REDUCTION, FLOAT,
       "torch._refs.log_softmax")
KERNEL("aten::log_softmax.int", log_softmax, log_softmax, REDUCTION, FLOAT,
       "torch._refs.log_softmax")
KERNEL("aten::_safe_softmax", safe_softmax, safe_softmax, REDUCTION, FLOAT,
       "torch._refs.softmax")
KERNEL("aten::_softmax_backward_data", softmax_backward, none, REDUCTION, FLOAT,
       "torch._decomp.decompositions._softmax_backward_data")
KERNEL("aten::_log_softmax_backward_data", log_softmax_backward, none, REDUCTION, FLOAT,
       "torch._decomp.decompositions._log_softmax_backward_data")
KERNEL("aten::layer_norm", layer_norm, layer_norm, REDUCTION, FLOAT,
       "torch.nn.functional.layer_norm")
KERNEL("aten::native_layer_norm", layer_norm, layer_norm, REDUCTION, FLOAT,
       "torch._refs.native_layer_norm")
KERNEL("aten::group_norm", group_norm, group_norm, REDUCTION, FLOAT,
       "torch.nn.functional.group_norm")
KERNEL("aten::native_group_norm", native_group_norm, native_group_norm, REDUCTION,
       FLOAT, "torch._decomp.native_group_norm")
KERNEL("aten::instance_norm", instance_norm, instance_norm, STEPWISE, FLOAT,
       "torch.nn.functional.instance_norm", STATISTICS)
KERNEL("aten::rms_norm", rms_norm, rms_norm, REDUCTION, FLOAT,
       "torch.nn.functional.rms_norm")
KERNEL("aten::_fused_rms_norm", rms_norm, rms_norm, REDUCTION, FLOAT,
       "torch.nn.functional.rms_norm")
KERNEL("aten::batch_norm", batch_norm, batch_norm, STEPWISE, FLOAT,
       "torch.nn.functional.batch_norm", STATISTICS)
KERNEL("aten::native_batch_norm", batch_norm, batch_norm, STEPWISE, FLOAT,
       "torch._decomp.native_batch_norm", STATISTICS)
KERNEL("aten::_native_batch_norm_legit", batch_norm, batch_norm, STEPWISE, FLOAT,
       "torch._decomp.native_batch_norm", STATISTICS)
KERNEL("aten::_native_batch_norm_legit.no_stats", batch_norm_no_stats,
       batch_norm_no_stats, STEPWISE, FLOAT, "torch._decomp.native_batch_norm")
KERNEL("aten::_native_batch_norm_legit_no_training", batch_norm_evaluating,
       batch_norm_evaluating, REDUCTION, FLOAT, "torch._decomp.native_batch_norm")
KERNEL("aten::_native_batch_norm_legit_functional", batch_norm_functional,
       batch_norm_functional, STEPWISE, FLOAT, "torch._decomp.native_batch_norm")
KERNEL("aten::_batch_norm_no_update", batch_norm_no_update, batch_norm_no_update,
       REDUCTION, FLOAT, "torch._decomp.native_batch_norm")
KERNEL("aten::_batch_norm_with_update", batch_norm_with_update, none, STEPWISE, FLOAT,
       "torch._decomp.native_batch_norm")
KERNEL("aten::_batch_norm_with_update_functional", batch_norm_with_update_functional,
       none, STEPWISE, FLOAT, "torch._decomp.native_batch_norm")
KERNEL("aten::mse_loss", mse_loss, none, REDUCTION, FLOAT,
       "torch.nn.functional.mse_loss")
KERNEL("aten::l1_loss", l1_loss, none, REDUCTION, FLOAT, "torch.nn.functional.l1_loss")
KERNEL("aten::smooth_l1_loss", smooth_l1_loss, none, REDUCTION, FLOAT,
       "torch.nn.functional.smooth_l1_loss")
KERNEL("aten::huber_loss", huber_loss, none, REDUCTION, FLOAT,
       "torch.nn.functional.huber_loss")
KERNEL("aten::binary_cross_entropy", binary_cross_entropy, none, REDUCTION, FLOAT,
       "torch.nn.functional.binary_cross_entropy")
KERNEL("aten::binary_cross_entropy_with_logits", binary_cross_entropy_with_logits, none,
       REDUCTION, FLOAT, "torch.nn.functional.binary_cross_entropy_with_logits")
KERNEL("aten::kl_div", kl_div, none, REDUCTION, FLOAT, "torch.nn.functional.kl_div")
KERNEL("aten::soft_margin_loss", soft_margin_loss, none, REDUCTION, FLOAT,
       "torch.nn.functional.soft_margin_loss")
KERNEL("aten::cosine_embedding_loss", cosine_embedding_loss, none, REDUCTION, FLOAT,
       "torch.nn.functional.cosine_embedding_loss")
KERNEL("aten::hinge_embedding_loss", hinge_embedding_loss, none, REDUCTION, FLOAT,
       "torch._refs.nn.functional.hinge_embedding_loss")
KERNEL("aten::margin_ranking_loss", margin_ranking_loss, none, REDUCTION, FLOAT,
       "torch._refs.nn.functional.margin_ranking_loss")
KERNEL("aten::poisson_nll_loss", poisson_nll_loss, none, REDUCTION, FLOAT,
       "torch._refs.nn.functional.poisson_nll_loss")
KERNEL("aten::triplet_margin_loss", triplet_margin_loss, none, REDUCTION, FLOAT,
       "torch._refs.nn.functional.triplet_margin_loss")
KERNEL("aten::multi_margin_loss", multi_margin_loss, none, REDUCTION, FLOAT,
       "torch.nn.functional.multi_margin_loss")
KERNEL("aten::multilabel_margin_loss", multilabel_margin_loss, none, REDUCTION, FLOAT,
       "torch.nn.functional.multilabel_margin_loss")
KERNEL("aten::multilabel_margin_loss_forward", multilabel_margin_loss, none, REDUCTION,
       FLOAT, "torch.nn.functional.multilabel_margin_loss")
KERNEL("aten::nll_loss", nll_loss, none, REDUCTION, FLOAT,
       "torch.nn.functional.nll_loss")
KERNEL("aten::nll_loss_nd", nll_loss, none, REDUCTION, FLOAT,
       "torch.nn.functional.nll_loss")
KERNEL("aten::nll_loss_forward", nll_loss, none, REDUCTION, FLOAT,
       "torch.nn.functional.nll_loss")
KERNEL("aten::nll_loss2d", nll_loss, none, REDUCTION, FLOAT,
       "torch.nn.functional.nll_loss")
KERNEL("aten::nll_loss2d_forward", nll_loss, none, REDUCTION, FLOAT,
       "torch.nn.functional.nll_loss")
KERNEL("torch_nn::_linear_cross_entropy_batch_chunked", linear_cross_entropy, none,
       REDUCTION, FLOAT, "torch.nn.functional.linear_cross_entropy")
KERNEL("torch_nn::_linear_cross_entropy_batch_chunked_no_reduction",
       linear_cross_entropy_rows, none, REDUCTION, FLOAT,
       "torch.nn.functional.linear_cross_entropy")
KERNEL("aten::cross_entropy_loss", cross_entropy_loss, none, REDUCTION, FLOAT,
       "torch.nn.functional.cross_entropy")
