package dev.weir.named.plan;

import java.util.List;

/**
 * The origin of a limit in a document.
 *
 * @param source the name of the document; for a value of a tree, what its place says
 * @param line counted from 1; 0 = none
 * @param templates those that it inherits from, the nearest first
 * @param percent the share of the instances, in per cent, that its {@code rollout} is for; 100 = it has none
 * @param within whether this instance has the fields of the {@code rollout}
 */
public record Origin(String source, int line, List<String> templates, double percent, boolean within) {
    /** That of a limit that code declares. */
    public static final Origin CODE = new Origin("code", 0, List.of(), 100, false);

    /** Copies the templates. */
    public Origin {
        templates = List.copyOf(templates);
    }

    /** One line: {@code "limits.yaml:12, template service, within its rollout of 10 %"}. */
    @Override
    public String toString() {
        String place = line > 0 ? source + ":" + line : source;
        String inherited = templates.isEmpty() ? "" : ", template " + String.join(" of ", templates);
        String side = percent >= 100 ? "" : (within ? ", within" : ", outside") + " its rollout of " + percent + " %";
        return place + inherited + side;
    }
}
