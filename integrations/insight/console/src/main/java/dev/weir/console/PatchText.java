package dev.weir.console;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A patch by its paths, such as {@code queue.max-wait}, as the object of JSON that it was. Not thread-safe. */
final class PatchText {
    /** A key after a dot, or in brackets, where it may have dots; digits in brackets are an index of a list. */
    private static final Pattern STEP =
            Pattern.compile("\\G(?:^|[.]|(?=\\[))(?:\\[((?:[^]]|]])*+)]|((?!\\[)[^.\\[]*))");

    private final Map<String, PatchText> named = new TreeMap<>();
    private final Map<Integer, PatchText> indexed = new TreeMap<>();
    private @Nullable String text;

    private PatchText() {}

    static String json(Map<String, String> settings) {
        PatchText root = new PatchText();
        settings.forEach(root::add);
        return root.json();
    }

    private void add(String path, String value) {
        PatchText at = this;
        Matcher step = STEP.matcher(path);
        for (int end = 0; end < path.length() && step.find(); end = step.end()) {
            at = at.below(step);
        }
        at.text = value;
    }

    private PatchText below(Matcher step) {
        String inBrackets = step.group(1);
        if (inBrackets == null) {
            return named.computeIfAbsent(step.group(2), added -> new PatchText());
        }
        return inBrackets.matches("[0-9]{1,4}")
                ? indexed.computeIfAbsent(Integer.valueOf(inBrackets), added -> new PatchText())
                : named.computeIfAbsent(inBrackets.replace("]]", "]"), added -> new PatchText());
    }

    private String json() {
        if (text != null) {
            return text.equals("null") || text.equals("{}") || text.equals("[]") ? text : JsonWriter.quoted(text);
        }
        return indexed.isEmpty()
                ? named.entrySet().stream()
                        .map(each -> JsonWriter.quoted(each.getKey()) + ": "
                                + each.getValue().json())
                        .collect(Collectors.joining(", ", "{", "}"))
                : indexed.values().stream().map(PatchText::json).collect(Collectors.joining(", ", "[", "]"));
    }
}
