package dev.weir.spring;

import dev.weir.Request;
import dev.weir.internal.Require;
import dev.weir.keyed.Keyed;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Nearest;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ExpressionParser;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/** The requests of the calls of one limited method: their key and their permits. Thread-safe. */
final class LimitedRequests {
    private static final ParameterNameDiscoverer PARAMETERS = new DefaultParameterNameDiscoverer();
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]+");
    private static final Pattern INDEX = Pattern.compile("[ap][0-9]+");
    private static final Set<String> SPRINGS = Set.of("this", "root");

    private final Method method;
    private final NamedLimiter limiter;
    private final ConfigurableListableBeanFactory beans;
    private final ExpressionParser parser;
    private final @Nullable Expression key;
    private final Map<String, Expression> keys;
    private final long permits;
    /* Instead of the permits; null = none. */
    private final @Nullable Expression cost;

    /**
     * @throws IllegalArgumentException if an expression cannot be parsed or names no parameter, or the cost is less than 1
     */
    LimitedRequests(
            Method method,
            Limited limited,
            NamedLimiter limiter,
            ExpressionParser parser,
            ConfigurableListableBeanFactory beans) {
        this.method = method;
        this.limiter = limiter;
        this.parser = parser;
        this.beans = beans;
        Require.that(
                limited.key().isEmpty() || limited.keys().length == 0,
                "key and keys must not both be given",
                "key " + limited.key());
        key = limited.key().isEmpty() ? null : parsed("key", limited.key());
        keys = dimensions(limited.keys());
        String costs = text(limited.cost(), beans);
        cost = NUMBER.matcher(costs).matches() ? null : parsed("cost", costs);
        permits = cost == null ? number(costs) : 1;
        Require.that(permits >= 1, "cost must be >= 1", permits);
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("cost must be <= " + Long.MAX_VALUE + ", was " + text, e);
        }
    }

    /** The text with its placeholders resolved. */
    static String text(String text, ConfigurableListableBeanFactory beans) {
        return Objects.requireNonNullElse(beans.resolveEmbeddedValue(text), "").trim();
    }

    private Map<String, Expression> dimensions(String[] given) {
        Map<String, Expression> found = new LinkedHashMap<>();
        for (String each : given) {
            int equals = each.indexOf('=');
            String dimension = equals < 0 ? "" : each.substring(0, equals).trim();
            if (dimension.isEmpty()) {
                throw new IllegalArgumentException("keys must be like user=#user.id, were " + each);
            }
            if (found.put(dimension, parsed("keys " + dimension, each.substring(equals + 1))) != null) {
                throw new IllegalArgumentException("keys must differ, were " + dimension + " twice");
            }
        }
        return found;
    }

    private Expression parsed(String field, String text) {
        String resolved = text(text, beans);
        Expression expression;
        try {
            expression = parser.parseExpression(resolved);
        } catch (ParseException | IllegalArgumentException | IllegalStateException e) {
            throw new IllegalArgumentException(
                    field + " must be an expression of Spring, was " + resolved + ": " + e.getMessage(), e);
        }
        if (expression instanceof SpelExpression spel) {
            checkVariables(field, resolved, spel.getAST());
        }
        return expression;
    }

    private void checkVariables(String field, String text, SpelNode node) {
        if (node instanceof VariableReference variable) {
            checkVariable(field, text, variable.toStringAST().substring(1));
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            checkVariables(field, text, node.getChild(i));
        }
    }

    private void checkVariable(String field, String text, String variable) {
        String[] names = PARAMETERS.getParameterNames(method);
        boolean isIndex =
                INDEX.matcher(variable).matches() && Long.parseLong(variable.substring(1)) < method.getParameterCount();
        if (isIndex
                || SPRINGS.contains(variable)
                || (names != null && List.of(names).contains(variable))) {
            return;
        }
        throw new IllegalArgumentException(
                names == null && method.getParameterCount() > 0
                        ? field
                                + " must name parameters as #p0, because the class is compiled without -parameters, was "
                                + text
                        : field + " must name parameters, which are " + (names == null ? List.of() : List.of(names))
                                + ", was " + text + Nearest.to(variable, names == null ? List.of() : List.of(names)));
    }

    /** Throws if a call cannot have the key which its limits count by. */
    void check() {
        for (NamedLimiter limit : limiter.limits()) {
            Set<String> asked = limit.dimensions();
            Map<String, String> settings = limit.status().settings();
            boolean isWhole = asked.isEmpty()
                    && (settings.getOrDefault("key", "").equals("true")
                            || limit.spec().parts().stream().anyMatch(Keyed.class::isInstance));
            boolean mayLack = !settings.getOrDefault("key-missing", "refuse").equals("refuse");
            if (key == null && !mayLack) {
                checkDimensions(limit.name(), isWhole, asked);
            }
            if (key != null && asked.size() > 1) {
                throw new IllegalArgumentException("keys must be given, not key, because " + limit.name()
                        + " counts by " + asked + ", was key " + key.getExpressionString());
            }
        }
    }

    private void checkDimensions(String name, boolean isWhole, Set<String> asked) {
        if (isWhole) {
            throw new IllegalArgumentException("key must be given, because " + name + " counts by it, was "
                    + (keys.isEmpty() ? "empty" : "keys " + keys.keySet()));
        }
        for (String dimension : asked) {
            if (!keys.containsKey(dimension)) {
                List<String> given = new ArrayList<>(new TreeSet<>(keys.keySet()));
                throw new IllegalArgumentException("keys must have " + dimension + ", because " + name
                        + " counts by it, were " + given + Nearest.to(dimension, given));
            }
        }
    }

    /** The request of one call. Throws if an expression fails, or that of the cost gives no number of at least 1. */
    Request of(Object target, @Nullable Object[] arguments) {
        if (key == null && keys.isEmpty() && cost == null) {
            return Request.of(permits);
        }
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(target, method, arguments, PARAMETERS);
        context.setBeanResolver(new BeanFactoryResolver(beans));
        return keyed(context).withPermits(cost == null ? permits : cost(context, cost));
    }

    private Request keyed(EvaluationContext context) {
        if (key != null) {
            String value = value(context, key);
            return value == null ? Request.ONE : Request.forKey(value);
        }
        if (keys.isEmpty()) {
            return Request.ONE;
        }
        /* All of them, now: the limit may ask for more after a change, while the request waits, on another thread. */
        Map<String, String> values = new HashMap<>();
        keys.forEach((dimension, expression) -> {
            String value = value(context, expression);
            if (value != null) {
                values.put(dimension, value);
            }
        });
        Function<String, @Nullable String> of = values::get;
        return limiter.request(of);
    }

    private static @Nullable String value(EvaluationContext context, Expression expression) {
        Object value = ObjectUtils.unwrapOptional(expression.getValue(context));
        if (value != null && !hasText(value)) {
            throw new IllegalArgumentException("key must be a text or have a toString() of its own, was of "
                    + value.getClass().getTypeName() + " by " + expression.getExpressionString());
        }
        return value == null ? null : value.toString();
    }

    /* By the text of Object, each call would have a key of its own, and none would be refused. */
    private static boolean hasText(Object value) {
        if (value instanceof CharSequence) {
            return true;
        }
        Method text = ReflectionUtils.findMethod(value.getClass(), "toString");
        return text != null && text.getDeclaringClass() != Object.class;
    }

    private static long cost(EvaluationContext context, Expression cost) {
        Object value = cost.getValue(context);
        if (!(value instanceof Number number) || number.longValue() < 1) {
            throw new IllegalArgumentException(
                    "cost must be a number >= 1, was " + value + " of " + cost.getExpressionString());
        }
        return number.longValue();
    }
}
