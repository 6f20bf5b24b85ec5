package dev.weir.adaptive.signal;

import dev.weir.adaptive.Signal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The signal "throttled": the share of the periods since the last reading in which the control group of this process used up its
 * CPU quota and was stopped, 0 to 1, without a unit. 0 if no period passed. NaN at the first reading, and without a quota.
 *
 * <p>Sees containers: it reads {@code cpu.stat} of control groups v2 and v1, and is of use only within one. A reading takes
 * about 25 us and does not block. One thread at a time reads; any may ask for the source. {@link Signals#throttled()} says
 * more.
 */
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
        for (Group each : groups()) {
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

    private List<Group> groups() {
        List<Group> found = groups;
        if (found == null) {
            found = new ArrayList<>();
            for (CpuGroup group : CpuGroup.of(root)) {
                found.add(new Group(group));
            }
            groups = found;
        }
        return found;
    }
}
