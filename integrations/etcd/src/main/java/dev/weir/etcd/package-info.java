/** For applications that keep their limits in etcd. */
@NullMarked
package dev.weir.etcd;

import org.jspecify.annotations.NullMarked;
