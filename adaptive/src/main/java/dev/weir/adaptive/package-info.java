/**
 * Limits that adapt: controllers, the windows they judge by, the control that attaches one to a limit, and what warms a
 * new instance up.
 */
@NullMarked
package dev.weir.adaptive;

import org.jspecify.annotations.NullMarked;
