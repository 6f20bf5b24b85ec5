/** Races of the engine and the core strategies on the real machine, each beside a twin that loses it. */
package dev.weir.verification.jcstress;
