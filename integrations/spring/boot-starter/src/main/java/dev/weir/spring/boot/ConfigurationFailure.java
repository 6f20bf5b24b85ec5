package dev.weir.spring.boot;

import dev.weir.config.document.DocumentTree.Located;
import dev.weir.named.plan.Problem;
import java.util.List;
import java.util.stream.Collectors;

/** An exception for properties with which an application must not start. */
final class ConfigurationFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Fault> faults;

    /**
     * A property that is wrong (empty = none), its place (empty = where the environment has it) and what must hold, such as
     * {@code "must be >= 1, was 0"}; after a semicolon, what may help.
     */
    record Fault(String property, String place, String rule) {
        /** A rule of the reader of the environment, which begins with the property. */
        static Fault of(Located broken) {
            return of(String.valueOf(broken.value()), broken.origin());
        }

        private static Fault of(String rule, String place) {
            int end = rule.indexOf(' ');
            return new Fault(rule.substring(0, Math.max(0, end)), place, rule.substring(end + 1));
        }

        static Fault of(Problem problem) {
            String rule = problem.rule();
            String field = problem.field();
            if (problem.limiter().isEmpty() && field.isEmpty()) {
                return of(rule, problem.document());
            }
            String path = problem.limiter().isEmpty()
                    ? field
                    : EnvironmentReader.path("limits", problem.limiter()) + (field.isEmpty() ? "" : "." + field);
            Problem alone = new Problem("", 0, 0, "", "", rule, problem.value());
            return new Fault(
                    EnvironmentReader.ROOT + "." + path,
                    problem.document(),
                    alone.toString().substring(2));
        }

        /** The rule, without the value that was found, and what may help. */
        String cure() {
            int advice = rule.indexOf("; ");
            String what = advice < 0 ? rule : rule.substring(0, advice);
            int was = what.lastIndexOf(", was ");
            return (was < 0 ? what : what.substring(0, was)) + (advice < 0 ? "" : rule.substring(advice));
        }

        @Override
        public String toString() {
            return property + " " + rule + (place.isEmpty() ? "" : " (" + place + ")");
        }
    }

    ConfigurationFailure(List<Fault> faults) {
        super(faults.stream().map(Fault::toString).collect(Collectors.joining("\n")));
        this.faults = List.copyOf(faults);
    }

    ConfigurationFailure(String property, String rule) {
        this(List.of(new Fault(property, "", rule)));
    }

    List<Fault> faults() {
        return faults;
    }
}
