/**
 * Documents of limits from Apollo, for owners of a registry.
 *
 * <p>This is the automatic module {@code dev.weir.apollo}, without a {@code module-info}: two jars of the client share the
 * package {@code com.ctrip.framework.apollo}, so the client runs on the class path only. On JDK 17 and newer it needs
 * {@code --add-opens java.base/java.lang=ALL-UNNAMED}.
 */
@NullMarked
package dev.weir.apollo;

import org.jspecify.annotations.NullMarked;
