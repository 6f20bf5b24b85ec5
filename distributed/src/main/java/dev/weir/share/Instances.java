package dev.weir.share;

import dev.weir.internal.Require;
import java.util.Collection;
import java.util.List;

/** The place of this instance among all instances. Thread-safe; does not block. */
@FunctionalInterface
public interface Instances {
    /** The place that was last known, also while the registry cannot be reached. */
    Place place();

    /**
     * Instances that are known in advance and never change, such as the ordinals of a set of servers. An instance that is away keeps
     * its part, so the parts never add up to more.
     *
     * @param instance the id of this instance
     * @param all the ids of all instances, in any order
     * @throws IllegalArgumentException if this instance is not among them, or an id is there twice
     */
    static Instances fixed(String instance, Collection<String> all) {
        List<String> ordered = all.stream().distinct().sorted().toList();
        Require.that(ordered.size() == all.size(), "all must have each id once", all);
        Require.that(ordered.contains(instance), "instance must be one of " + ordered, instance);
        Place place = new Place(ordered.indexOf(instance), ordered.size());
        return () -> place;
    }

    /**
     * The place of an instance in the order that all instances agree on.
     *
     * @param index 0 to {@code count - 1}
     * @param count how many instances there are, at least 1
     */
    record Place(int index, int count) {
        /**
         * @throws IllegalArgumentException if {@code count < 1} or {@code index} is not within 0 and {@code count - 1}
         */
        public Place {
            Require.that(count >= 1, "count must be >= 1", count);
            Require.that(index >= 0 && index < count, "index must be >= 0 and < " + count, index);
        }

        /** This instance's part of so many permits: the parts of all places add up to exactly that. */
        public long part(long permits) {
            return permits / count + (index < permits % count ? 1 : 0);
        }
    }
}
