package dev.weir.spring.boot;

import dev.weir.named.plan.Nearest;
import dev.weir.spring.boot.ConfigurationFailure.Fault;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.env.Environment;

/** An analyzer of starts that properties under {@code weir} have stopped: for each the property, its place and the cure. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class WeirFailureAnalyzer implements FailureAnalyzer {
    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(EnvironmentReader.ROOT);

    /* The names of the properties that Spring binds. */
    private static final List<String> SOURCE =
            List.of("file", "read-every", "last-good", "instance", "start-within", "fail-on-problems");
    private static final List<String> WEB =
            List.of("routes", "exempt", "proxies", "keys", "fields", "legacy", "problems", "challenge", "order");
    private static final List<String> ROUTE = List.of("path", "limits", "cost");

    private final Environment environment;

    WeirFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        ConfigurationFailure ours = cause(failure, ConfigurationFailure.class);
        if (ours != null) {
            return analysis(ours.faults(), failure);
        }
        BindException binding = cause(failure, BindException.class);
        return binding == null || !ROOT.isAncestorOf(binding.getName()) ? null : analysis(faults(binding), failure);
    }

    private static <T extends Throwable> @Nullable T cause(Throwable failure, Class<T> type) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (type.isInstance(each)) {
                return type.cast(each);
            }
        }
        return null;
    }

    private FailureAnalysis analysis(List<Fault> faults, Throwable failure) {
        String description = faults.stream()
                .map(each -> String.format(
                        Locale.ROOT,
                        "    Property: %s%n    Place: %s%n    Problem: %s%n",
                        each.property(),
                        place(each),
                        each.rule()))
                .collect(Collectors.joining(
                        System.lineSeparator(),
                        "What the application says of its limits is wrong:" + System.lineSeparator()
                                + System.lineSeparator(),
                        ""));
        String action = faults.stream()
                .map(each -> place(each) + ": " + each.property() + " " + each.cure())
                .distinct()
                .collect(Collectors.joining(System.lineSeparator()));
        return new FailureAnalysis(description, action, failure);
    }

    private String place(Fault fault) {
        String place = fault.place().isEmpty() ? Places.of(environment, fault.property()) : fault.place();
        return place.isEmpty() ? "not given" : place;
    }

    private static List<Fault> faults(BindException failure) {
        UnboundConfigurationPropertiesException unbound = cause(failure, UnboundConfigurationPropertiesException.class);
        if (unbound != null) {
            return unbound.getUnboundProperties().stream()
                    .map(WeirFailureAnalyzer::unknown)
                    .toList();
        }
        ConfigurationProperty property = failure.getProperty();
        String name = failure.getName().toString();
        if (cause(failure, ConversionException.class) != null && property != null) {
            Class<?> wanted = failure.getTarget().getType().resolve(Object.class);
            return List.of(new Fault(
                    property.getName().toString(),
                    Places.of(property.getOrigin()),
                    "must be " + words(wanted) + ", was \"" + property.getValue() + "\""));
        }
        Throwable root = NestedExceptionUtils.getMostSpecificCause(failure);
        return List.of(rule(name, String.valueOf(root.getMessage())));
    }

    /* The compact constructors say "read-every must be > 0, was 0s". */
    private static Fault rule(String name, String message) {
        int end = message.indexOf(" must ");
        boolean isOfField = end > 0 && message.indexOf(' ') == end;
        return isOfField
                ? new Fault(name + "." + message.substring(0, end), "", message.substring(end + 1))
                : new Fault(name, "", message);
    }

    private static Fault unknown(ConfigurationProperty property) {
        ConfigurationPropertyName name = property.getName();
        String word = name.getLastElement(ConfigurationPropertyName.Form.ORIGINAL);
        List<String> known = beside(name);
        String nearest = Nearest.to(word, known);
        return new Fault(
                name.toString(),
                Places.of(property.getOrigin()),
                "is not known" + (nearest.isEmpty() ? "; known: " + String.join(", ", known) : nearest));
    }

    private static String words(Class<?> type) {
        if (type == Duration.class) {
            return "a duration such as 5s";
        }
        if (type.isEnum()) {
            return "one of "
                    + Arrays.stream(type.getEnumConstants())
                            .map(each ->
                                    each.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
                            .collect(Collectors.joining(", "));
        }
        return type == boolean.class || type == Boolean.class ? "true or false" : "a whole number";
    }

    private static List<String> beside(ConfigurationPropertyName unknown) {
        String text = unknown.toString();
        return text.startsWith("weir.source.") ? SOURCE : text.startsWith("weir.web.routes[") ? ROUTE : WEB;
    }
}
