/** Model checking of the engine and the core strategies, each property beside a twin that breaks it. */
package dev.weir.verification.lincheck;
