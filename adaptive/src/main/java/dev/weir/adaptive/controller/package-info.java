/** For users: the controllers, one class each, of which {@link dev.weir.adaptive.controller.Crest} is the one to start with. */
@NullMarked
package dev.weir.adaptive.controller;

import org.jspecify.annotations.NullMarked;
