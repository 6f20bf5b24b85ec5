package dev.weir.store;

import dev.weir.share.Instances;
import java.util.Objects;

/**
 * The decision on requests while the store of a limit does not answer: {@link Open}, {@link Closed} or {@link Local}. There is no
 * default: each of them is wrong for some limits.
 */
public sealed interface WhenAway {
    /** Fail open: every request is granted, for a limit that protects nothing that must not be overloaded. */
    record Open() implements WhenAway {}

    /** Fail closed: every request is refused as {@code UNAVAILABLE}, where no answer is better than one too many. */
    record Closed() implements WhenAway {}

    /**
     * A local limit: this instance grants its part of the limit. The part counts what the store granted to this instance too, and
     * what it granted itself is counted by the store afterwards, so that nothing is gained if the store comes and goes.
     *
     * @param instances how many instances there are, by what was last known of them
     */
    record Local(Instances instances) implements WhenAway {
        /** Checks the component. */
        public Local {
            Objects.requireNonNull(instances, "instances");
        }
    }

    /** The decision {@link Open}: every request is granted. */
    static WhenAway open() {
        return new Open();
    }

    /** The decision {@link Closed}: every request is refused. */
    static WhenAway closed() {
        return new Closed();
    }

    /** {@link Local}, by a registry that knows the instances. */
    static WhenAway local(Instances instances) {
        return new Local(instances);
    }

    /**
     * {@link Local}, for a fixed number of instances, each of which counts as the last: parts that do not divide evenly are rounded
     * down. Of a limit of fewer permits than there are instances, nothing is granted.
     *
     * @throws IllegalArgumentException if {@code instances < 1}
     */
    static WhenAway local(int instances) {
        Instances.Place place = new Instances.Place(instances - 1, instances);
        return new Local(() -> place);
    }
}
