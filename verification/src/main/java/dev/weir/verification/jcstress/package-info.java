/**
 * Races of the engine and the core strategies on the real machine. Beside each is a broken twin: a small wrong version of the
 * code, in which the same test finds the defect.
 */
package dev.weir.verification.jcstress;
