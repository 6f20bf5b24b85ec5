/**
 * Model checking of the engine and the core strategies. Beside each property is a broken twin: a small wrong version of the
 * code, in which the same test finds the defect.
 */
package dev.weir.verification.lincheck;
