@org.jspecify.annotations.NullMarked
package dev.weir.verification.composition;
