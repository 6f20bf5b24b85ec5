package dev.weir.testkit;

import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Composition.Figures;
import java.util.ArrayList;
import java.util.List;

/** The rates of all requests, or of one key, through every change. */
final class Courses {
    /** A rate in force. */
    record InForce(StrategySpec spec, Figures figures) {}

    private List<Course> courses = List.of();
    private boolean resting = true;

    /**
     * Other rates are in force. Where each has a predecessor, an equal one or one of its class, and none was dropped,
     * each goes its own course. Else all that are new or changed follow each of the old ones, and if one was dropped
     * those that are equal do so too. Without a rate the last ones refill, and nothing is charged to them.
     */
    void change(List<InForce> next, long now) {
        resting = next.isEmpty();
        if (resting) {
            return;
        }
        List<Course> left = new ArrayList<>(courses);
        Course[] own = new Course[next.size()];
        boolean[] equal = new boolean[next.size()];
        for (int i = 0; i < own.length; i++) {
            own[i] = take(left, next.get(i), true);
            equal[i] = own[i] != null;
        }
        boolean added = false;
        for (int i = 0; i < own.length; i++) {
            own[i] = equal[i] ? own[i] : take(left, next.get(i), false);
            added |= own[i] == null;
        }
        boolean dropped = !left.isEmpty();
        List<Course> following = new ArrayList<>();
        for (int i = 0; i < own.length; i++) {
            InForce rate = next.get(i);
            boolean goesOn = !dropped && (equal[i] || !added);
            following.add(
                    goesOn && own[i] != null
                            ? own[i].at(rate.spec, rate.figures, now)
                            : new Course(rate.spec, rate.figures, courses, now));
        }
        courses = following;
    }

    private static @org.jspecify.annotations.Nullable Course take(List<Course> from, InForce rate, boolean equal) {
        for (Course course : from) {
            if (equal ? course.spec.equals(rate.spec) : course.spec.getClass() == rate.spec.getClass()) {
                from.remove(course);
                return course;
            }
        }
        return null;
    }

    void pass(long nanos, long from) {
        courses.forEach(course -> course.pass(nanos, from));
    }

    void granted(long permits) {
        if (!resting) {
            courses.forEach(course -> course.granted(permits));
        }
    }

    /** How a bound was passed, or an empty text. */
    String excess() {
        for (Course course : courses) {
            String excess = resting ? "" : course.excess();
            if (!excess.isEmpty()) {
                return excess;
            }
        }
        return "";
    }
}
