/** Keys as text, for the modules of Weir itself. Not part of the public API. */
package dev.weir.store.rates.internal;
