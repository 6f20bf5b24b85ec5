@org.jspecify.annotations.NullMarked
package dev.weir.succession;
