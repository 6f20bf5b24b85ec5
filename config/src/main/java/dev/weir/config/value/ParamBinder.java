package dev.weir.config.value;

import dev.weir.spi.Registration;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The bindings of the methods and fields of objects to values; the objects are held by others. Thread-safe. */
final class ParamBinder {
    private final ValueStore store;
    private final Converters converters;
    private final Set<Binding> bindings = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<Object> unreachable = new ReferenceQueue<>();

    ParamBinder(ValueStore store, Converters converters) {
        this.store = store;
        this.converters = converters;
    }

    Registration bind(Object target) {
        for (Reference<?> gone = unreachable.poll(); gone != null; gone = unreachable.poll()) {
            ((Binding) gone).close();
        }
        Binding binding = new Binding(target);
        List<Slot> slots = slots(target, binding);
        if (slots.isEmpty()) {
            throw new IllegalArgumentException(
                    target.getClass().getName() + " must have a method or field with @ConfigParam");
        }
        bindings.add(binding);
        Registration registration = () -> {
            try {
                binding.close();
            } finally {
                Reference.reachabilityFence(target);
            }
        };
        try {
            slots.forEach(binding::add);
        } catch (Throwable t) {
            registration.close();
            throw t;
        }
        return registration;
    }

    /* Of the object's class and of its superclasses; overridden methods once. A private method overrides nothing. */
    private List<Slot> slots(Object target, WeakReference<Object> object) {
        List<Slot> slots = new ArrayList<>();
        Set<List<Object>> signatures = new HashSet<>();
        for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                ConfigParam param = field.getAnnotation(ConfigParam.class);
                if (param != null) {
                    slots.add(new Slot(object, param, field, field.getGenericType(), setter(field, target)));
                }
            }
            for (Method method : type.getDeclaredMethods()) {
                ConfigParam param = method.getAnnotation(ConfigParam.class);
                boolean overrides = !Modifier.isPrivate(method.getModifiers());
                if (param != null
                        && !method.isBridge()
                        && (!overrides
                                || signatures.add(
                                        List.of(method.getName(), Arrays.asList(method.getParameterTypes()))))) {
                    Setter setter = setter(method);
                    slots.add(new Slot(object, param, method, method.getGenericParameterTypes()[0], setter));
                }
            }
        }
        return slots;
    }

    private static Setter setter(Method method) {
        check(!Modifier.isStatic(method.getModifiers()), method, "must not be on a static method");
        check(method.getParameterCount() == 1, method, "must be on a method with one parameter");
        open(method);
        return (target, value) -> {
            try {
                if (value != null) {
                    method.invoke(target, value);
                }
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
    }

    private static Setter setter(Field field, Object owner) {
        check(!Modifier.isStatic(field.getModifiers()), field, "must not be on a static field");
        check(!Modifier.isFinal(field.getModifiers()), field, "must not be on a final field");
        open(field);
        try {
            Object before = field.get(owner);
            return (target, value) -> field.set(target, value == null ? before : value);
        } catch (IllegalAccessException e) {
            throw new AssertionError("it was made accessible", e);
        }
    }

    private static <M extends AccessibleObject & Member> void open(M member) {
        Class<?> type = member.getDeclaringClass();
        Module own = ConfigParam.class.getModule();
        String reader = own.isNamed() ? " to " + own.getName() : "";
        check(
                member.trySetAccessible(),
                member,
                "needs \"opens " + type.getPackageName() + reader + ";\" in the module-info of "
                        + type.getModule().getName());
    }

    private static void check(boolean holds, Member member, String rule) {
        if (!holds) {
            throw new IllegalArgumentException("@ConfigParam of " + name(member) + " " + rule);
        }
    }

    private static String name(Member member) {
        return member.getDeclaringClass().getSimpleName() + "." + member.getName();
    }

    /** The code that sets a member of an object; null = there is no value: a field has the one before it was bound. */
    private interface Setter {
        void set(Object target, @Nullable Object value) throws Throwable;
    }

    /** The bindings of one object, which may become unreachable. */
    private final class Binding extends WeakReference<Object> {
        private final List<Registration> members = new ArrayList<>();

        private Binding(Object target) {
            super(target, unreachable);
        }

        private void add(Slot slot) {
            ConfigValue<Optional<Object>> value =
                    store.value(slot.key, Converters.optional(slot.conversion), slot.orElse);
            ValueListener<Optional<Object>> listener = new ValueListener<>(value, slot.name, slot);
            // Nobody else knows the listener yet, so the value is set when this returns.
            listener.tell();
            if (slot.failure != null) {
                throw slot.badDefault("must be accepted by " + slot.name, slot.failure);
            }
            members.add(value.listen(listener));
            store.report(value, listener);
        }

        private void close() {
            bindings.remove(this);
            members.forEach(Registration::close);
        }
    }

    /** A member of an object that others hold, as a listener. Its turns are serial. */
    private final class Slot implements ValueListener.Target<Optional<Object>> {
        private final WeakReference<Object> object;
        private final String key;
        private final String name;
        private final Setter setter;
        private final Function<String, Object> conversion;
        private final Optional<Object> orElse;
        private boolean taken;
        /** Why neither the value nor the default was taken; null = one was, or there is no default. */
        private @Nullable Throwable failure;

        private Slot(WeakReference<Object> object, ConfigParam param, Member member, Type type, Setter setter) {
            this.object = object;
            this.key = param.value();
            this.name = name(member);
            this.setter = setter;
            this.conversion = converters.to(type);
            this.orElse = orElse(param.orElse(), type);
        }

        private Optional<Object> orElse(String[] texts, Type type) {
            try {
                return switch (texts.length) {
                    case 0 -> isOptional(type) ? Optional.of(Optional.empty()) : Optional.empty();
                    case 1 -> Optional.of(conversion.apply(texts[0]));
                    default -> throw new IllegalArgumentException("must be one text, was " + texts.length);
                };
            } catch (IllegalArgumentException e) {
                throw badDefault(String.valueOf(e.getMessage()), e);
            }
        }

        private static boolean isOptional(Type type) {
            return type instanceof ParameterizedType generic && generic.getRawType() == Optional.class;
        }

        private IllegalArgumentException badDefault(String rule, Throwable cause) {
            return new IllegalArgumentException("orElse of @ConfigParam(\"" + key + "\") " + rule, cause);
        }

        @Override
        public void accept(Optional<Object> value) throws Throwable {
            Object target = object.get();
            if (target == null) {
                return;
            }
            try {
                set(target, value);
            } catch (Throwable refused) {
                if (!taken && orElse.isPresent()) {
                    failure = value.equals(orElse) ? refused : setDefault(target);
                }
                throw refused;
            }
        }

        /* Returns what it throws. */
        private @Nullable Throwable setDefault(Object target) {
            try {
                set(target, orElse);
                return null;
            } catch (Throwable refused) {
                return refused;
            }
        }

        private void set(Object target, Optional<Object> value) throws Throwable {
            setter.set(target, value.orElse(null));
            taken = true;
        }
    }
}
