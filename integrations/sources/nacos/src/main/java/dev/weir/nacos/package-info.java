/**
 * Documents of limits from Nacos, for owners of a registry.
 *
 * <p>This is the automatic module {@code dev.weir.nacos}, without a {@code module-info}: two jars of the client share the package
 * {@code com.alibaba.nacos.client.utils}, so the client runs on the class path only.
 */
@NullMarked
package dev.weir.nacos;

import org.jspecify.annotations.NullMarked;
