package dev.weir.adaptive.signal;

import dev.weir.adaptive.Signal;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The signal of {@link Signals#throttled()}. One thread at a time reads; any may ask for the source. */
final class ThrottledSignal implements Signal, Sourced {
    private static final class Group {
        private final CpuGroup group;
        private long periods = -1;
        private long throttled = -1;

        Group(CpuGroup group) {
            this.group = group;
        }

        double share() {
            String stat = group.stat();
            long periodsBefore = periods;
            long throttledBefore = throttled;
            periods = TextFile.field(stat, "nr_periods");
            throttled = TextFile.field(stat, "nr_throttled");
            if (periodsBefore < 0 || throttledBefore < 0 || periods < periodsBefore || throttled < throttledBefore) {
                return Double.NaN;
            }
            double fell = (double) periods - periodsBefore;
            return fell == 0 ? 0 : Math.min(1, (throttled - throttledBefore) / fell);
        }
    }

    private final Path root;
    private @Nullable List<Group> groups;
    private volatile SignalSource source = SignalSource.NONE;

    ThrottledSignal(Path root) {
        this.root = Objects.requireNonNull(root, "root");
    }

    @Override
    public String name() {
        return "throttled";
    }

    @Override
    public SignalSource source() {
        return source;
    }

    @Override
    public double read() {
        SignalSource found = SignalSource.NONE;
        double max = Double.NaN;
        if (groups == null) {
            groups = CpuGroup.of(root).stream().map(Group::new).toList();
        }
        for (Group each : groups) {
            if (Double.isNaN(each.group.cores())) {
                continue;
            }
            found = new SignalSource("cgroup v" + each.group.version() + " cpu.stat", 1);
            double share = each.share();
            max = Double.isNaN(max) || share > max ? share : max;
        }
        source = found;
        return max;
    }
}
