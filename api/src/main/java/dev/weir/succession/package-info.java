/** The replacement of one strategy by another, with which nothing that was granted is forgotten. Not part of the public SPI. */
@NullMarked
package dev.weir.succession;

import org.jspecify.annotations.NullMarked;
