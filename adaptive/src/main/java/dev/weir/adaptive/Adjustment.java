package dev.weir.adaptive;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One change of a limit under a control, and the reason. Immutable.
 *
 * @param at the time of the change; the start of 1970 if the clock threw
 * @param from the limit before
 * @param to the limit after
 * @param why the rule of the controller and what it saw, the controller's name first; of a change by others, what they say
 * @param window the sampling window that the controller evaluated; null if it was not the controller that changed the limit
 */
public record Adjustment(
        Instant at,
        long from,
        long to,
        String why,
        @Nullable Window window) {}
