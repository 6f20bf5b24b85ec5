package dev.weir.adaptive;

import java.util.List;

/**
 * How an adaptive control stands.
 *
 * @param limiter whose limit it turns
 * @param limit the limit in force
 * @param bounds between what it moves at present
 * @param why the rule behind the controller's last answer
 * @param updates how many windows were judged
 * @param failures how often the controller, a reading or a listener threw
 * @param unusable samples left out: of no time at all, of more than an hour, or begun before the clock jumped
 * @param stale whether what it adjusts has been replaced, so that it has no effect until {@link AdaptiveControl#attach}
 * @param last the last changes, the oldest first
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
