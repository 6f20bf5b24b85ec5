/** A source of documents and a registry of instances in etcd, for applications. */
@NullMarked
package dev.weir.etcd;

import org.jspecify.annotations.NullMarked;
