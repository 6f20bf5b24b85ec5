package dev.weir.config.status;

import dev.weir.config.document.LimitPlan;
import java.time.Instant;

/**
 * The settings of a limit that were put in force by hand, until a time; see {@code LimiterRegistry.override}. Immutable.
 *
 * @param plan the settings
 * @param who gave them
 * @param why they are needed
 * @param since when they were put in force
 * @param until when the settings of the document return
 */
public record LimitOverride(LimitPlan plan, String who, String why, Instant since, Instant until) {}
