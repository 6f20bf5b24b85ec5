/** Saved state in a file, for users: over a restart it keeps what controllers have learned and which debts rates have. */
@NullMarked
package dev.weir.adaptive.state;

import org.jspecify.annotations.NullMarked;
