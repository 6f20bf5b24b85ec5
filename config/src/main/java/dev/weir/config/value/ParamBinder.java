package dev.weir.config.value;

import dev.weir.spi.Registration;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
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
        List<ParamMember> members = ParamMember.of(target);
        if (members.isEmpty()) {
            throw new IllegalArgumentException(
                    target.getClass().getName() + " must have a method or field with @ConfigParam");
        }
        return bind(target, members);
    }

    <T> T create(Class<T> type) {
        if (type.isRecord()
                && Stream.of(type.getRecordComponents())
                        .anyMatch(each -> each.isAnnotationPresent(ConfigParam.class))) {
            return store.value(Group.<T>lookup("", type, converters)).get();
        }
        T created = called(constructor(type));
        List<ParamMember> members = ParamMember.of(created);
        if (!members.isEmpty()) {
            bind(created, members);
        }
        return created;
    }

    @SuppressWarnings("unchecked") // A class has constructors of itself.
    private static <T> Constructor<T> constructor(Class<T> type) {
        List<Constructor<?>> constructors = Stream.of(type.getDeclaredConstructors())
                .filter(each -> Stream.of(each.getParameters()).anyMatch(ParamBinder::isBound))
                .toList();
        if (constructors.size() != 1
                || !Stream.of(constructors.get(0).getParameters()).allMatch(ParamBinder::isBound)) {
            throw new IllegalArgumentException(
                    type.getName() + " must have one constructor with @ConfigParam on each of its parameters");
        }
        ParamMember.open(constructors.get(0));
        return (Constructor<T>) constructors.get(0);
    }

    private static boolean isBound(Parameter parameter) {
        return parameter.isAnnotationPresent(ConfigParam.class);
    }

    private <T> T called(Constructor<T> constructor) {
        String name = constructor.getDeclaringClass().getSimpleName();
        Object[] arguments = Stream.of(constructor.getParameters())
                .map(parameter -> argument(parameter, name))
                .toArray();
        try {
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            if (thrown instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            if (thrown instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(name + " failed", thrown);
        } catch (InstantiationException e) {
            throw new IllegalArgumentException(name + " must not be abstract", e);
        } catch (IllegalAccessException e) {
            throw new AssertionError("it was made accessible", e);
        }
    }

    private Object argument(Parameter parameter, String owner) {
        Type type = parameter.getParameterizedType();
        Type followed = type instanceof ParameterizedType generic && generic.getRawType() == ConfigValue.class
                ? generic.getActualTypeArguments()[0]
                : null;
        Lookup<Object> lookup =
                Lookup.of(parameter.getAnnotation(ConfigParam.class), followed == null ? type : followed, converters);
        String name = "@ConfigParam(\"" + lookup.key() + "\") of " + owner;
        if (followed == null) {
            return store.value(lookup.optional())
                    .get()
                    .orElseThrow(() -> new IllegalStateException(name + " has neither a good value nor orElse"));
        }
        if (lookup.orElse().isEmpty()) {
            throw new IllegalArgumentException(name + " must have orElse, or be a ConfigValue of an Optional");
        }
        return store.value(lookup);
    }

    private Registration bind(Object target, List<ParamMember> members) {
        for (Reference<?> gone = unreachable.poll(); gone != null; gone = unreachable.poll()) {
            ((Binding) gone).close();
        }
        List<Lookup<Object>> lookups = members.stream()
                .map(member -> Lookup.of(member.param(), member.type(), converters))
                .toList();
        Binding binding = new Binding(target);
        bindings.add(binding);
        Registration registration = () -> {
            try {
                binding.close();
            } finally {
                Reference.reachabilityFence(target);
            }
        };
        try {
            for (int i = 0; i < lookups.size(); i++) {
                binding.add(members.get(i), lookups.get(i));
            }
        } catch (Throwable t) {
            registration.close();
            throw t;
        }
        return registration;
    }

    /** The bindings of one object, which may become unreachable. */
    private final class Binding extends WeakReference<Object> {
        private final List<Registration> members = new ArrayList<>();

        private Binding(Object target) {
            super(target, unreachable);
        }

        private void add(ParamMember member, Lookup<Object> lookup) {
            Slot slot = new Slot(this, member, lookup.orElse());
            ConfigValue<Optional<Object>> value = store.value(lookup.optional());
            ValueListener<Optional<Object>> listener = new ValueListener<>(value, member.name(), slot);
            // Nobody else knows the listener yet, so the value is set when this returns.
            listener.tell();
            if (slot.failure != null) {
                throw new IllegalArgumentException(
                        "orElse of @ConfigParam(\"" + lookup.key() + "\") must be accepted by " + member.name(),
                        slot.failure);
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
    private static final class Slot implements ValueListener.Target<Optional<Object>> {
        private final WeakReference<Object> object;
        private final ParamMember member;
        private final Optional<Object> orElse;
        private boolean taken;
        /** Why neither the value nor the default was taken; null = one was, or there is no default. */
        private @Nullable Throwable failure;

        private Slot(WeakReference<Object> object, ParamMember member, Optional<Object> orElse) {
            this.object = object;
            this.member = member;
            this.orElse = orElse;
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
                    setDefault(target, value, refused);
                }
                throw refused;
            }
        }

        private void setDefault(Object target, Optional<Object> refusedValue, Throwable refused) {
            if (refusedValue.equals(orElse)) {
                failure = refused;
                return;
            }
            try {
                set(target, orElse);
            } catch (Throwable alsoRefused) {
                failure = alsoRefused;
            }
        }

        private void set(Object target, Optional<Object> value) throws Throwable {
            if (value.isPresent()) {
                member.setter().set(target, value.get());
            } else {
                member.clearing().clear(target);
            }
            taken = true;
        }
    }
}
