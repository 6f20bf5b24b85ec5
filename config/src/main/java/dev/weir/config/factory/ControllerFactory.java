package dev.weir.config.factory;

import dev.weir.adaptive.Controller;

/** Gives a controller a name in documents. Each call of {@link #create} returns a new controller, for one limiter. */
public interface ControllerFactory extends Factory<Controller> {}
