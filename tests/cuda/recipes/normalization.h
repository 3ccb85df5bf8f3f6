/* Norms by the statistics of a batch. */
RECIPE("aten::batch_norm", "F[2,3,4,5] F[3] F[3] none none true 0.1 1e-5 false")
RECIPE("aten::batch_norm", "F[200,3] none none none none false 0.1 1e-3 false")
RECIPE("aten::_native_batch_norm_legit.no_stats", "F[2,3,8] F[3] F[3] true 0.1 1e-5")
RECIPE("aten::_native_batch_norm_legit.no_stats", "F[5,7] none none true 0.1 1e-5")
RECIPE("aten::_native_batch_norm_legit_functional",
       "F[2,3,4,5] F[3] F[3] F[3] P[3] true 0.1 1e-5")
RECIPE("aten::_batch_norm_no_update", "F[2,3,4] F[3] F[3] F[3] P[3] 0.1 1e-5")
RECIPE("aten::instance_norm", "F[2,3,4,5] F[3] F[3] none none true 0.1 1e-5 false")
RECIPE("aten::instance_norm", "F[2,3,9] none none F[3] P[3] false 0.1 1e-5 false")
