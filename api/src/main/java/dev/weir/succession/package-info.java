/**
 * For the modules of Weir itself: how one strategy takes over from another, so that nothing that was granted is forgotten.
 * Not part of the public SPI.
 */
@NullMarked
package dev.weir.succession;

import org.jspecify.annotations.NullMarked;
