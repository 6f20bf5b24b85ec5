/** A source of documents and a registry of instances in ZooKeeper, for applications. */
@NullMarked
package dev.weir.zookeeper;

import org.jspecify.annotations.NullMarked;
