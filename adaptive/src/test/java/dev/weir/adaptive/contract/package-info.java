/** For authors of controllers: the contract of every controller, and a bench that runs one before a server. */
@NullMarked
package dev.weir.adaptive.contract;

import org.jspecify.annotations.NullMarked;
