/** For applications that keep their limits in ZooKeeper. */
@NullMarked
package dev.weir.zookeeper;

import org.jspecify.annotations.NullMarked;
