package dev.weir.spring.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A step of the name of a property, without brackets; in these it may have dots. */
record PropertyStep(String text, boolean isBracketed) {
    private static final Pattern STEP = Pattern.compile("\\G(?:^|[.]|(?=\\[))(?:\\[([^]]*)]|([^.\\[]+))");

    /** The steps of a name such as {@code weir.limits[shop.web].all-of[0].rate}; none if it is no such name. */
    static List<PropertyStep> of(String name) {
        List<PropertyStep> steps = new ArrayList<>();
        Matcher step = STEP.matcher(name);
        int end = 0;
        while (end < name.length() && step.find()) {
            String inBrackets = step.group(1);
            steps.add(inBrackets == null ? new PropertyStep(step.group(2), false) : new PropertyStep(inBrackets, true));
            end = step.end();
        }
        return end < name.length() ? List.of() : List.copyOf(steps);
    }

    /** The steps of a name such as {@code WEIR_REMOVED_0}: a number is an index. */
    static List<PropertyStep> ofVariable(String name) {
        List<PropertyStep> steps = new ArrayList<>();
        for (String part : name.toLowerCase(Locale.ROOT).split("_", -1)) {
            steps.add(new PropertyStep(part, isDigits(part)));
        }
        return steps;
    }

    boolean isIndex() {
        return isBracketed && isDigits(text);
    }

    /** The letters and digits in lower case: by these Spring compares. */
    String uniform() {
        return isIndex() ? "[" + Integer.parseInt(text) + "]" : uniform(text);
    }

    static String uniform(String text) {
        StringBuilder kept = new StringBuilder();
        text.chars()
                .filter(Character::isLetterOrDigit)
                .map(Character::toLowerCase)
                .forEach(kept::appendCodePoint);
        return kept.isEmpty() ? text : kept.toString();
    }

    private static boolean isDigits(String text) {
        return text.matches("[0-9]{1,9}");
    }
}
