/** For authors of registries: what every registry does, and one in memory whose faults a test controls. */
@NullMarked
package dev.weir.distributed.contract;

import org.jspecify.annotations.NullMarked;
