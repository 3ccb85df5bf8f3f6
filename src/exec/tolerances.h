/* The numeric policy of single operators: how far a correct result may be from the
 * reference, by class of operator and element type. Of whole programs judge_floats.c
 * decides, of codes judge_grid.c.
 *
 * STEP(class, ulp and relative limits): an element passes within either of them.
 * SUMS(class, SNR in dB): see judge_sums() for what else holds. NONE: no limit.
 * Columns: f64, f32, f32 with TF32 products, f16, bf16. */

/* One rounding; a fused multiply-add explains 1 ulp. */
STEP(ROUNDED, ULP(1, 0), ULP(1, 0), ULP(1, 0), ULP(1, 0), ULP(1, 0))
/* CUDA's documented maximum errors of its functions; 16-bit types compute in f32 and
 * round once more. 1.3e-6 is assert_close's rtol for f32. Near a zero of a function,
 * twice as many ulp of the RMS value. XNNPACK approximates f16 by short polynomials: of
 * all 65536 values sigmoid errs by up to 4 ulp, exp by 5. */
STEP(FUNCTION, ULP(4, 0), ULP(8, 1.3e-6), ULP(8, 1.3e-6), ULP(5, 0), ULP(2, 0))
/* The same, and in f32 twice as many ulp of the terms: x / 2 (1 + erf) of a negative x
 * is small, but torch's erf of f32 errs by 1.5e-7 of 1, which is 70 ulp of gelu(-2.9),
 * and oneDNN's by 6.3e-7 (AVX512). */
STEP(DIFFERENCE, ULP(4, 0), ULP(8, 1.3e-6), ULP(8, 1.3e-6), ULP(5, 0), ULP(2, 0))
/* Range reduction, and powers by way of exp and log. XNNPACK's exp of f32 errs by
 * 4.4e-8 of it for each unit of its argument: by 3.8e-6 at 88. */
STEP(POWER, ULP(16, 0), ULP(8, 1e-5), ULP(8, 1e-5), ULP(5, 0), ULP(4, 0))

/* Measured floors: 124 to 129 dB, 73.6, 55.6; a margin of 6 to 25 dB. */
SUMS(REDUCTION, 250, 100, 100, 65, 50)
/* The same, but own sums take torch's steps, and set the limit where these lead far:
 * its batch norm of 16 bits rounds mean and deviation before it uses them (47 dB in
 * bf16 of a mean of 1.7 deviations, 34 of 15), and its distances of many rows cancel.
 */
SUMS(STEPWISE, 250, 100, 100, 65, 50)
/* ExecuTorch's var rounds each term and sum to 16 bits: of 16 terms it has 63.8 and
 * 46.5. */
SUMS(VARIANCE, 250, 100, 100, 62, 45)
/* 113 (f32, one by one, 16384 terms) to 139 (blocked); TF32 70.5; f16 68 to 73, but 58
 * and less when it accumulates in f16; bf16 50.5 to 55.5. */
SUMS(CONTRACTION, 250, 100, 60, 60, 45)
/* As many steps as a matrix has columns, each of what the one before it gave. */
SUMS(FACTORIZATION, 250, 100, 60, 60, 45)
/* Two contractions and exp between them. */
SUMS(ATTENTION, 245, 95, 55, 55, 42)
/* Errors grow along the scan; of resampling, those of positions along an axis: half an
 * ulp of the position, times the slope there. */
SUMS(SCAN, 200, 80, 60, 45, 30)
