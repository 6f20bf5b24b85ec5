package dev.weir.config.document.tree;

import java.util.ArrayList;
import java.util.List;

/** The path in a document that a key such as {@code limits.a.all-of[0].rate} stands for. */
final class FlatKey {
    private static final int MAX_INDEX = 9999;
    private static final int MAX_DIGITS = 4;
    private static final String RULE = "must have keys such as a.b, a[0].b or a.[b.c]";

    /**
     * A key of a map, or an index of a list.
     *
     * @param index -1 = a key
     */
    record Step(String name, int index) {}

    private FlatKey() {}

    static List<Step> of(String key, Place at) throws Unreadable {
        List<Step> steps = new ArrayList<>();
        int from = 0;
        boolean isDue = true;
        while (from < key.length()) {
            char first = key.charAt(from);
            int end;
            if (first == '[') {
                end = key.indexOf(']', from);
                if (end < 0) {
                    throw new Unreadable(at, RULE);
                }
                add(steps, step(key.substring(from + 1, end)), at);
                end++;
                isDue = false;
            } else if (first == '.' && !isDue) {
                end = from + 1;
                isDue = true;
            } else if (isDue) {
                end = from;
                while (end < key.length() && key.charAt(end) != '.' && key.charAt(end) != '[') {
                    end++;
                }
                add(steps, new Step(key.substring(from, end), -1), at);
                isDue = false;
            } else {
                throw new Unreadable(at, RULE);
            }
            from = end;
        }
        if (isDue) {
            throw new Unreadable(at, RULE);
        }
        return steps;
    }

    private static void add(List<Step> steps, Step step, Place at) throws Unreadable {
        if (step.index() < 0 && (step.name().isEmpty() || step.name().length() > TreeBuilder.MAX_KEY)) {
            throw new Unreadable(at, "must have keys of 1 to " + TreeBuilder.MAX_KEY + " characters");
        }
        if (step.index() > MAX_INDEX) {
            throw new Unreadable(at, "must have lists of at most " + (MAX_INDEX + 1) + " items");
        }
        steps.add(step);
        if (steps.size() > TreeBuilder.MAX_DEPTH) {
            throw new Unreadable(
                    at, "must not have more than " + TreeBuilder.MAX_DEPTH + " maps and lists in each other");
        }
    }

    private static Step step(String text) {
        boolean isIndex = !text.isEmpty() && text.chars().allMatch(digit -> digit >= '0' && digit <= '9');
        if (!isIndex) {
            return new Step(text, -1);
        }
        return new Step("", text.length() > MAX_DIGITS ? MAX_INDEX + 1 : Integer.parseInt(text));
    }
}
