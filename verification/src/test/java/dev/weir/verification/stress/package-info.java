/** Volume, extremes, years and errors: the engine and the core strategies under real threads and simulated time. */
package dev.weir.verification.stress;
