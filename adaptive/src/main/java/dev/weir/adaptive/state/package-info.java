/** For users: what controllers have learned and what rates owe, saved in a file over a restart. */
@NullMarked
package dev.weir.adaptive.state;

import org.jspecify.annotations.NullMarked;
