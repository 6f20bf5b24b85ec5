package dev.weir.named.recorder;

import dev.weir.adaptive.Bounds;
import dev.weir.algorithms.WarmUp;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.LimitPlan.Adaptive;
import dev.weir.named.recorder.Replay.LimitPath;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The limit of a plan in the seconds of a replay, where something else than its settings moves it. */
final class LimitPaths {
    private LimitPaths() {}

    /** As it was recorded, by whatever moved it; null = it is not recorded, or rises by itself. */
    static @Nullable LimitPath recorded(RecordedLoad load, LimitPlan plan) {
        return plan.spec().parts().stream().anyMatch(WarmUp.class::isInstance)
                ? null
                : path(load.limits(), LongUnaryOperator.identity());
    }

    /** For other settings: as it was, within their bounds, if they are adaptive or a share; null = it stays. */
    static @Nullable LimitPath adapted(RecordedLoad load, LimitPlan plan) {
        Adaptive adaptive = plan.find(LimitPlan.ADAPTIVE);
        if (adaptive == null) {
            return plan.find(LimitPlan.SHARE) == null ? null : path(load.limits(), LongUnaryOperator.identity());
        }
        Bounds bounds = adaptive.bounds();
        return path(load.limits(), limit -> limit < 1 ? 0 : Math.max(bounds.min(), Math.min(bounds.max(), limit)));
    }

    /** One limit all the time. */
    static LimitPath fixed(long limit) {
        return path(new long[1], any -> limit);
    }

    private static LimitPath path(long[] limits, LongUnaryOperator change) {
        return new LimitPath() {
            @Override
            public int seconds() {
                return limits.length;
            }

            @Override
            public long at(int second) {
                return change.applyAsLong(limits[second]);
            }
        };
    }
}
