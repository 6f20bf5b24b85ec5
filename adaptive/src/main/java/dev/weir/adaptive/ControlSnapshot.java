package dev.weir.adaptive;

import java.util.List;

/**
 * An immutable view of an adaptive control.
 *
 * @param limiter the name of the limiter
 * @param limit the limit in force
 * @param bounds the bounds in force
 * @param why the rule behind the last limit that the controller returned
 * @param updates the number of sampling windows evaluated
 * @param failures the number of times that the controller, a reading or a listener threw
 * @param unusable the number of samples ignored: of 0 ns, of more than an hour, or begun before the clock jumped
 * @param stale whether it has no effect: it is closed, or until {@link AdaptiveControl#attach} because the strategy that it
 *     adjusts has been replaced
 * @param last up to 50 last changes, by this control and by others, the oldest first
 */
public record ControlSnapshot(
        String limiter,
        long limit,
        Bounds bounds,
        String why,
        long updates,
        long failures,
        long unusable,
        boolean stale,
        List<Adjustment> last) {}
